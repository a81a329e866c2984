
// The model that this file contains.
export async function load() {
  return Model.open(await unpack(WASM), await unpack(CONTENT));
}
