// Drafts of listings: changes that members can preview before they publish them.
import { errors } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/games';
import { transact } from '../../kernel/database/db.ts';
import { auditChange, auditDone } from '../../request/audit.ts';
import { handle } from '../../request/route.ts';
import { lockGame, requireMember } from '../game-access/game-access.ts';
import { changeFacts, NO_FACTS } from './fact-rules.ts';
import * as sql from './games.sql.ts';
import { publishListing } from './games.ts';

type Draft = OutputOf<typeof contract.getDraft>;

export const getDraft = handle(contract.getDraft, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const draft = await sql.findDraft(ctx.db, game.game_id);
  return { draft: draft === undefined ? null : draftOf(draft) };
});

function draftOf({ listing, saved_by, saved_at }: sql.DraftRow): NonNullable<Draft['draft']> {
  return { ...listing, saved_by, saved_at: saved_at.toISOString() };
}

/** Replaces the draft. Throws `invalid` as publishing it would. */
export const saveDraft = handle(
  contract.saveDraft,
  async (ctx, { caller, input: { uid, name, tagline, description, tags, ...facts } }) => {
    const { game } = await requireMember(ctx, caller, uid);
    const { videos, install_notes: installNotes, ...others } = changeFacts(NO_FACTS, facts);
    const listing = {
      name: name.trim() || name,
      tagline: tagline.trim(),
      description: description.trim(),
      tags: [...new Set(tags)],
      ...others,
      ...(facts.videos !== undefined && { videos }),
      ...(facts.install_notes !== undefined && { install_notes: installNotes }),
    };
    const draft = { listing, saved_by: caller.user.name, saved_at: ctx.clock.now() };
    await transact(ctx.db, async (tx) => {
      await lockGame(tx, game.game_id);
      await sql.upsertDraft(tx, game.game_id, { listing, by: draft.saved_by, at: draft.saved_at });
      auditDone();
    });
    return { draft: draftOf(draft) };
  },
);

/** Nothing changes without a draft. Returns a draft that is kept, because it was saved at another time. */
export const discardDraft = handle(contract.discardDraft, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return transact(ctx.db, async (tx) => {
    await lockGame(tx, game.game_id);
    const draft = await sql.findDraft(tx, game.game_id);
    if (draft === undefined) return { draft: null };
    if (input.saved_at !== undefined && draft.saved_at.getTime() !== Date.parse(input.saved_at))
      return { draft: draftOf(draft) };
    await sql.deleteDraft(tx, game.game_id);
    auditChange('draft', 'saved', null);
    return { draft: null };
  });
});

/** Throws `notFound` without a draft. */
export const publishDraft = handle(contract.publishDraft, async (ctx, { caller, input }) => {
  const { game, role } = await requireMember(ctx, caller, input.uid);
  return publishListing(ctx, game, role, async (tx) => {
    const draft = await sql.findDraft(tx, game.game_id);
    if (draft === undefined) throw errors.notFound('This game has no draft. Save one first.');
    await sql.deleteDraft(tx, game.game_id);
    return draft.listing;
  });
});
