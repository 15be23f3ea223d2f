# The centre of the demo, read by demo.sh: one training that dies plainly and survives guarded.
classic=examples/classic.py
on_cpu=(CUDA_VISIBLE_DEVICES=-1 TF_CPP_MIN_LOG_LEVEL=2 XDG_CACHE_HOME="$work/cache")
limit=(TF_CPU_ALLOCATOR_USE_BFC=1 TF_CPU_BFC_MEM_LIMIT_IN_MB=700)

# For comparison: without a limit, while the first parts are shown.
start_without_limit() {
  env "${on_cpu[@]}" \
    "$VIRTUAL_ENV/bin/python" "$classic" "$work/whole.npz" >"$work/whole.log" 2>&1 &
  whole=$!
}

show_plain_death() {
  echo "10,000 images of 100x100x3 and a batch of 2048 into a small CNN, with 700 MB"
  echo "(TensorFlow's GPU allocator, on the CPU):"
  printf '\n%s$ python %s%s\n\n' "$bold" "$classic" "$plain"
  env "${on_cpu[@]}" "${limit[@]}" \
    "$VIRTUAL_ENV/bin/python" "$classic" "$work/died.npz" >"$work/died.log" 2>&1
  died=$?
  printf '… %s lines, among them:\n' "$(wc -l <"$work/died.log")"
  grep -m 2 -E 'ResourceExhaustedError|^OOM when' "$work/died.log" | cut -c 1-160
  echo "exit code $died"
}

show_survival() {
  echo "The same script and the same limit under fitguard; and in the middle somebody kills it:"
  printf '\n%s$ fitguard run %s%s\n\n' "$bold" "$classic" "$plain"
  "$VIRTUAL_ENV/bin/python" scripts/demo_kill.py "$work/runs" &
  env "${on_cpu[@]}" "${limit[@]}" \
    "$fitguard" run --runs "$work/runs" "$classic" "$work/guarded.npz" || exit $?
  wait "$whole" || { cat "$work/whole.log"; exit 1; }
  echo
  echo "Against the run without a limit, which nobody killed:"
  "$VIRTUAL_ENV/bin/python" scripts/demo_compare.py "$work/whole.npz" "$work/guarded.npz"
}
