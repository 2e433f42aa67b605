// Decides whether to print in colour: in a terminal that can, unless variables say otherwise.

/**
 * NO_COLOR and FORCE_COLOR count unless they are empty (https://no-color.org, https://force-color.org). If both are set,
 * FORCE_COLOR wins, as in Node.
 */
export function hasColour(
  { isTTY }: { isTTY?: boolean },
  { NO_COLOR, FORCE_COLOR, TERM }: Readonly<Record<string, string | undefined>>,
): boolean {
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTTY === true && !NO_COLOR && TERM !== 'dumb';
}
