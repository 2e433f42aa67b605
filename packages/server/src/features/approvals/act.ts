// The shape of a change that can wait for approval: how it is described, what it was asked upon, and how it is done.
import type { Db, Tx } from '../../kernel/db.ts';
import type { Game } from '../games/games.ts';

/** How things are: what the change would do to them, and what of it the owner is asked upon. */
export type Prospect = {
  readonly summary: string;
  readonly consequences: readonly string[];
  /** Compared with that of the request: another one means that the owner was told of something else. */
  readonly basis: object;
};

export type Act<Input> = {
  /** The request in one way of writing it, without what is nothing of it. */
  normalize(input: Input): Input;
  /** Throws the codes of the operation where the change cannot be done. */
  foresee(db: Db, game: Game, input: Input, now: Date): Promise<Prospect>;
  /** Said when the basis is another one by now. */
  readonly moved: string;
  /** Does it; answers what the operation would. `movedBy` is for the history. */
  perform(tx: Tx, game: Game, input: Input, by: { movedBy: string; now: Date }): Promise<object>;
  /**
   * Present when the approval only permits the change, and the agent that asked completes it by repeating its call. Returns the new
   * `result` of the approval, and what the agent alone receives, which is stored nowhere.
   */
  collect?(tx: Tx, game: Game, handover: Handover): Promise<{ record: object; handedOut: Record<string, unknown> }>;
};

export type Handover = {
  /** As `perform` returned it, or an earlier `collect`. */
  readonly result: object;
  readonly now: Date;
  /** For the history. */
  readonly movedBy: string;
  /** Throws 4217 when the request no longer applies. */
  requireApplicable(): Promise<unknown>;
};
