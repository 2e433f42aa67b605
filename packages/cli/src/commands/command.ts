// How a command names its action. The action's module is loaded when the command runs, so that --help is quick.
import type { Action } from '../actions/action.ts';

/** Turns an action that is still to be loaded into a commander action. */
export type Act = <Options>(load: () => Promise<Action<Options>>) => (...params: unknown[]) => Promise<void>;
