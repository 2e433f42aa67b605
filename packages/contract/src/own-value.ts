// Looks up names that people and clients choose: `constructor` must not find what every object inherits.

/** The value of the table's own property `name`. */
export function ownValue<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
