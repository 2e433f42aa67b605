// Searches of crashes that the members of a game saved.
import Type from 'typebox';
import { MAX_QUERY_LENGTH } from '../crash-query.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { GameParams, GameRef, Line, Uuid } from './fields.ts';

const CRASH_VIEWS = ['groups', 'reports'] as const;
export type CrashView = (typeof CRASH_VIEWS)[number];

const CrashSearch = Type.Object({
  search_uid: Uuid,
  name: Type.String(),
  query: Type.String(),
  view: Type.Enum([...CRASH_VIEWS]),
  created_by: Type.String({ description: 'The name of the person, at that time' }),
});

export const listCrashSearches = defineOperation({
  id: 'crashes.listSearches',
  summary: 'List the saved searches of a game, by name',
  method: 'GET',
  path: '/games/{uid}/crash-searches',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  output: Type.Object({ searches: Type.Array(CrashSearch) }),
  statuses: [200],
  errors: ['notFound'],
});

export const saveCrashSearch = defineOperation({
  id: 'crashes.saveSearch',
  summary: 'Save a search for all members of a game; replaces the one with the same name',
  method: 'POST',
  path: '/games/{uid}/crash-searches',
  access: 'account',
  role: 'triager',
  params: GameParams,
  body: Type.Object({
    name: Line('name', { minLength: 1, maxLength: LIMITS.displayNameLength }),
    query: Line('query', { minLength: 1, maxLength: MAX_QUERY_LENGTH }),
    view: Type.Enum([...CRASH_VIEWS]),
  }),
  output: CrashSearch,
  statuses: [201],
  errors: ['notFound'],
});

export const deleteCrashSearch = defineOperation({
  id: 'crashes.deleteSearch',
  summary: 'Delete a saved search',
  method: 'DELETE',
  path: '/games/{uid}/crash-searches/{search_uid}',
  access: 'account',
  role: 'triager',
  params: Type.Object({ uid: GameRef, search_uid: Uuid }),
  output: Type.Object({ deleted: Type.Boolean() }),
  statuses: [200],
  errors: ['notFound'],
});
