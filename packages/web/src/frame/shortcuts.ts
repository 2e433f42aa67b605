// Which key, or which two in a row, does what on the pages of a game.

export type Shortcut<Name extends string = string> = {
  readonly name: Name;
  /** As `KeyboardEvent.key` has them. */
  readonly keys: readonly string[];
  /** What it does, for the list of them. */
  readonly says: string;
};

/** Finds the shortcut that `key` completes; `pressed` are the keys of one that has begun, before and after. */
export function pressKey<Name extends string>(
  shortcuts: readonly Shortcut<Name>[],
  pressed: readonly string[],
  key: string,
): { found?: Shortcut<Name>; pressed: readonly string[] } {
  const sequence = [...pressed, key];
  const beginning = shortcuts.filter(({ keys }) => sequence.every((each, index) => keys[index] === each));
  const found = beginning.find(({ keys }) => keys.length === sequence.length);
  if (found !== undefined) return { found, pressed: [] };
  if (beginning.length > 0) return { pressed: sequence };
  return pressed.length === 0 ? { pressed: [] } : pressKey(shortcuts, [], key);
}
