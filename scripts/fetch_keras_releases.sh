#!/usr/bin/env bash
# The last release of each minor version of Keras that fitguard supports, as wheels: the tests compare
# every hook with their sources. About 40 MB, kept between runs.
set -euo pipefail
folder=$1
python=$2
mkdir -p "$folder"
wanted=(
  keras==2.{13.1,14.0,15.0}
  keras==3.{0.5,1.1,2.1,3.3,4.1,5.0,6.0,7.0,8.0,9.2,10.0,11.3,12.4,13.2,14.1,15.1}
  tf_keras==2.{16.0,17.0,18.0,19.0,20.1,21.0}
)
missing=()
for release in "${wanted[@]}"; do
  compgen -G "$folder/${release/==/-}-*.whl" >/dev/null || missing+=("$release")
done
[ ${#missing[@]} -eq 0 ] && exit 0
printf '%s\n' "${missing[@]}" | xargs -P 4 -I RELEASE "$python" -m pip download --quiet --quiet \
  --disable-pip-version-check --no-deps --dest "$folder" RELEASE
