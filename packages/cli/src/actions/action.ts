// The shape of an action: what a command does.
import type { Context } from '../context.ts';
import type { Result } from '../output.ts';

/** Runs a command with its parsed options and arguments. */
export type Action<Options> = (context: Context, options: Options, ...args: string[]) => Promise<Result>;
