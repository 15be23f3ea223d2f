"""First fit."""
def choose(waiting, used, cards):
    starts = {}
    used = {k: list(v) for k, v in used.items()}
    for t in sorted(waiting, key=lambda t: -t.job.priority):
        got = []
        for key, card in cards:
            if card.left_out: continue
            need = card.memory_bytes if t.takes_whole else t.memory_bytes
            if sum(used.get(key, ())) + need <= card.memory_bytes and key not in got:
                got.append(key); used.setdefault(key, []).append(need)
            if len(got) == t.job.workers: break
        if len(got) == t.job.workers: starts[t.job.name] = got
        else:
            for k in got: used[k].pop()
    return starts
