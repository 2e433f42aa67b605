// Arrays of numbers that grow.

/** An array twice as long with the same numbers at its start. */
export function grow<Kind extends Float64Array | Uint32Array>(before: Kind): Kind {
  const after = new (before.constructor as new (length: number) => Kind)(before.length * 2);
  after.set(before);
  return after;
}
