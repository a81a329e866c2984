
// The model that this file contains.
export async function load() {
  return Model.open(...await Promise.all([WASM, CONTENT].map(unpack)));
}
