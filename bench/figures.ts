// Prints the results of a benchmark: medians, and one line for each figure with its target.

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Prints `name = value unit (needs ≥ min)` or `(needs < below)`, and MISSED if the target is not met. */
export function printFigure(
  name: string,
  value: number,
  needs: { min: number } | { below: number },
  { unit = '', digits = 2 } = {},
): void {
  const format = (number: number) => `${number.toFixed(digits)}${unit}`;
  const [need, met] =
    'min' in needs ? [`≥ ${format(needs.min)}`, value >= needs.min] : [`< ${format(needs.below)}`, value < needs.below];
  print(`${name} = ${format(value)} (needs ${need})${met ? '' : ' MISSED'}`);
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints progress, which is not a result. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
