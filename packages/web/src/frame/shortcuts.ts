// Matches pressed keys with keyboard shortcuts of one or two keys.

export type Shortcut<Name extends string = string> = {
  readonly name: Name;
  /** Values of `KeyboardEvent.key`. */
  readonly keys: readonly string[];
  /** What it does, for the list of shortcuts. */
  readonly description: string;
  /** Whether the page has what it acts on. By default, it does. */
  readonly isAvailable?: () => boolean;
};

/** Returns the shortcut that `key` completes, if any, and the keys of a shortcut that is still incomplete. */
export function pressKey<Name extends string>(
  shortcuts: readonly Shortcut<Name>[],
  pressed: readonly string[],
  key: string,
): { match?: Shortcut<Name>; pressed: readonly string[] } {
  const sequence = [...pressed, key];
  const candidates = shortcuts.filter(({ keys }) => sequence.every((each, index) => keys[index] === each));
  const match = candidates.find(({ keys }) => keys.length === sequence.length);
  if (match !== undefined) return { match, pressed: [] };
  if (candidates.length > 0) return { pressed: sequence };
  return pressed.length === 0 ? { pressed: [] } : pressKey(shortcuts, [], key);
}
