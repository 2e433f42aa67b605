// The form state of a game's listing, and saving it.
import type { OutputOf } from '@chauffeur/contract/operation';
import {
  discardDraft,
  getDraft,
  getGame,
  listGames,
  saveDraft,
  updateGame,
} from '@chauffeur/contract/operations/games';
import { getListing } from '@chauffeur/contract/operations/shelves';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { useKeepDraft, useKeptDraft } from '../../frame/keep-typed.ts';
import { readTags } from './listing-texts.ts';
import type { OpenGame } from './use-game.ts';

type Texts = Pick<OpenGame, 'name' | 'slug' | 'visibility' | 'tagline' | 'description'> & { tags: string };
export type ListingFacts = Pick<
  OpenGame,
  'links' | 'videos' | 'languages' | 'requirements' | 'content_notes' | 'install_notes'
>;
type Fields = Texts & ListingFacts;

function fieldsOf(game: Omit<Fields, 'tags'> & { tags: string[] }): Fields {
  const { name, slug, visibility, tagline, description, tags, links, videos, languages, requirements, content_notes } =
    game;
  const { install_notes } = game;
  const texts = { name, slug, visibility, tagline, description, tags: tags.join(', ') };
  return { ...texts, links, videos, languages, requirements, content_notes, install_notes };
}

/** Whether two values are the same. Lists are compared by their content. */
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function changesOf(saved: Fields, fields: Fields): Partial<Fields> {
  const names = Object.keys(fields) as (keyof Fields)[];
  return Object.fromEntries(
    names.filter((name) => !isSame(fields[name], saved[name])).map((name) => [name, fields[name]]),
  );
}

export type Draft = OutputOf<typeof getDraft>['draft'];

/** The form begins with the draft, if there is one, and follows what others save, except for fields changed here. */
function useFields(saved: Fields) {
  const kept = useKeptDraft<{ start: Partial<Fields>; fields: Partial<Fields> }>('listing');
  const [start, setStart] = useState<Fields>({ ...saved, ...kept?.start });
  const [fields, setFields] = useState<Fields>({ ...saved, ...kept?.fields });
  const [replaced, setReplaced] = useState<readonly (keyof Fields)[]>([]);
  if (!isSame(saved, start)) {
    const own = changesOf(start, fields);
    const theirs = changesOf(start, saved);
    const names = Object.keys(own) as (keyof Fields)[];
    setStart(saved);
    setFields({ ...saved, ...own });
    setReplaced((before) =>
      [...new Set([...before, ...names.filter((name) => name in theirs)])].filter(
        (name) => name in own && !isSame(fields[name], saved[name]),
      ),
    );
  }
  useKeepDraft('listing', () => (isSame(start, fields) ? undefined : { start, fields }));
  /** The fields changed here that someone else has changed since, whose change saving replaces. */
  const replacedNames = replaced.filter((name) => !isSame(fields[name], saved[name])).map((name) => FIELD_NAMES[name]);
  return { fields, setFields, replacedNames };
}

export function useListing(game: OpenGame, draft: Draft) {
  const { fields, setFields, replacedNames } = useFields(fieldsOf({ ...game, ...draft }));
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { tags, problem } = readTags(fields.tags);
  const changed = changesOf(fieldsOf(game), fields);
  const saving = useMutation({
    // Only what was changed here is saved: someone else may have changed the rest, such as the visibility, in the
    // meantime. If they changed the same fields, nothing is saved yet, and the form says what saving replaces.
    mutationFn: async (_sent: Fields) => {
      const current = await call(getGame, { uid: game.game_uid });
      const theirs = changesOf(fieldsOf(game), fieldsOf(current));
      const names = Object.keys(changed) as (keyof Fields)[];
      if (names.some((name) => name in theirs && !isSame(theirs[name], changed[name]))) {
        queries.setQueryData(ask(getGame, { uid: game.slug }).queryKey, current);
        return null;
      }
      const { tags: changedTags, ...others } = changed;
      return call(updateGame, { uid: game.game_uid, ...others, ...(changedTags !== undefined && { tags }) });
    },
    onSuccess: async (saved, sent) => {
      if (saved === null) return;
      // What was typed since then stays.
      setFields((before) => ({ ...fieldsOf(saved), ...changesOf(sent, before) }));
      queries.setQueryData(ask(getGame, { uid: saved.slug }).queryKey, { ...game, ...saved });
      // A draft that someone else has saved in the meantime stays.
      if (draft !== null) showDraft(await call(discardDraft, { uid: game.game_uid, saved_at: draft.saved_at }));
      void queries.invalidateQueries({ queryKey: [getListing.id] });
      void queries.invalidateQueries({ queryKey: [listGames.id] });
      if (saved.slug !== game.slug)
        await navigate({
          to: '/dev/$slug/settings/listing',
          params: { slug: saved.slug },
          replace: true,
          ignoreBlocker: true,
        });
    },
  });
  const showDraft = (answer: OutputOf<typeof getDraft>) =>
    queries.setQueryData(ask(getDraft, { uid: game.game_uid }).queryKey, answer);
  const savingDraft = useMutation({
    mutationFn: (sent: Fields) => {
      const { slug: _, visibility: __, ...listing } = sent;
      return call(saveDraft, { uid: game.game_uid, ...listing, tags });
    },
    onSuccess: (saved, sent) => {
      setFields((before) => ({ ...fieldsOf({ ...before, ...saved.draft! }), ...changesOf(sent, before) }));
      showDraft(saved);
    },
  });
  const set = (changes: Partial<Fields>) => {
    saving.reset();
    savingDraft.reset();
    setFields((before) => ({ ...before, ...changes }));
  };
  const change = (name: keyof Texts) => (event: { currentTarget: { value: string } }) =>
    set({ [name]: event.currentTarget.value });
  const isChanged = Object.keys(changesOf(fieldsOf({ ...game, ...draft }), fields)).length > 0;
  /** What saving would change for players. */
  const changedNames = Object.keys(changed).map((name) => FIELD_NAMES[name as keyof Fields]);
  /** `problem` says why the tags are invalid, or is null. */
  return { fields, change, set, problem, saving, savingDraft, isChanged, changedNames, replacedNames };
}

const FIELD_NAMES: Readonly<Record<keyof Fields, string>> = {
  name: 'name',
  slug: 'address',
  visibility: 'visibility',
  tagline: 'tagline',
  description: 'description',
  tags: 'tags',
  links: 'links',
  videos: 'videos',
  languages: 'languages',
  requirements: 'system requirements',
  content_notes: 'content notes',
  install_notes: 'install notes',
};
