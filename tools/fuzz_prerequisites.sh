#!/bin/sh
# Check what `make fuzz` needs of the system: clang with libFuzzer and its sanitizers.
# As root on Debian install what is missing; otherwise print the line that does.
set -eu

works() {
  echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++ -x c++ -fsanitize=fuzzer,address,undefined - -o /dev/null >/dev/null 2>&1
}

works && exit 0
if [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ]; then
  echo "installing clang"
  install="apt-get install -y --no-install-recommends"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q && $install clang
  works || $install "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
  works && exit 0
fi
echo "missing: clang with libFuzzer. On Debian 12:" >&2
echo "  sudo apt-get install -y --no-install-recommends clang libclang-rt-14-dev" >&2
exit 1
