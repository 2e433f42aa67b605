// The type of an action that can require approval: its description, the state it is based on, and how it is performed.
import type { Role } from '@chauffeur/contract/roles';
import type { Db, Tx } from '../../kernel/database/db.ts';
import type { Game } from '../../people/games/games.ts';

/** The effect that the action would have now. */
export type Preview = {
  readonly summary: string;
  readonly consequences: readonly string[];
  /** The state on which the owner's decision is based. If it has changed since the request, the request is outdated. */
  readonly basis: object;
};

export type Action<Input> = {
  /** The role that the requester must still have when the action is performed. */
  readonly neededRole: Role;
  /** Normalizes the input, so that equal requests are recognized. */
  normalize(input: Input): Input;
  /** Throws the error codes of the operation if the action is not possible. */
  preview(db: Db, game: Game, input: Input, now: Date): Promise<Preview>;
  /** The message of error `alreadyDecided` if the basis has changed. */
  readonly outdated: string;
  /** Performs the action and returns the result of the operation. `movedBy` is for the history. */
  perform(tx: Tx, game: Game, input: Input, by: { movedBy: string; now: Date }): Promise<object>;
  /**
   * Present if the requesting agent completes the approved action by repeating its call. Returns the new `result` of
   * the approval, and the data for the agent only, which is stored nowhere.
   */
  collect?(tx: Tx, game: Game, handover: Handover): Promise<{ record: object; handedOut: Record<string, unknown> }>;
};

export type Handover = {
  /** The last result of `perform` or `collect`. */
  readonly result: object;
  readonly now: Date;
  /** The name that the history shows. */
  readonly movedBy: string;
  /** Throws `alreadyDecided` if the request no longer applies. */
  requireApplicable(): Promise<unknown>;
};
