// The shape of a command: a handler, and the function that turns it into a commander action.
import type { Context } from '../context.ts';
import type { Result } from '../output.ts';

/** Runs a command with its parsed options and arguments. */
export type Handler<Options> = (context: Context, options: Options, ...args: string[]) => Promise<Result>;
/** Turns a handler into a commander action. */
export type Act = <Options>(handler: Handler<Options>) => (...params: unknown[]) => Promise<void>;
