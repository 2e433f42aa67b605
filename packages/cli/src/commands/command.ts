// What commands share: how they name their action, and the parser of options that can be repeated.
import type { Action } from '../actions/action.ts';

/** Turns an action into a commander action. Its module is loaded when the command runs, so that --help is quick. */
export type Act = <Options>(load: () => Promise<Action<Options>>) => (...params: unknown[]) => Promise<void>;

/** Parses an option that can be repeated. */
export function collectValues(value: string, before: string[] = []): string[] {
  return [...before, value];
}
