// The rules that developers add to the grouping of crash reports of a game.
import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { LINE_HIDDEN } from '../text.ts';
import { Foreign, GameParams, Nullable, Timestamp, Uuid } from './fields.ts';

export const RULE_EFFECTS = ['irrelevant', 'prefix', 'top', 'end'] as const;

export const GroupingRule = Type.Object({
  frames: Type.String({
    minLength: 1,
    maxLength: LIMITS.groupingPatternLength,
    pattern: `^(?=.*[^*])[^${LINE_HIDDEN}]*$`,
    description: 'The name of a function as signatures have it; * matches any characters',
  }),
  effect: Type.Enum([...RULE_EFFECTS], {
    description:
      'irrelevant: ignored; prefix: kept, and the next frame as well; top: frames above it are ignored; end: kept, and the signature ends there',
  }),
});
export type GroupingRule = Static<typeof GroupingRule>;

const Rules = Type.Array(GroupingRule, { maxItems: LIMITS.groupingRules });

const GroupingRules = Type.Object({
  rules: Rules,
  changed_at: Nullable(Timestamp),
  changed_by: Nullable(Type.String({ description: 'The name of the person, at that time' })),
  regrouping: Type.Boolean({ description: 'Whether reports are being moved to their groups by these rules' }),
});

export const getGroupingRules = defineOperation({
  id: 'crashes.groupingRules',
  summary: "Get a game's own rules for the grouping of crash reports",
  method: 'GET',
  path: '/games/{uid}/grouping-rules',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  output: GroupingRules,
  statuses: [200],
  errors: ['notFound'],
});

export const setGroupingRules = defineOperation({
  id: 'crashes.setGroupingRules',
  summary: "Replace a game's own rules for the grouping of crash reports; existing reports are grouped again",
  method: 'PUT',
  path: '/games/{uid}/grouping-rules',
  access: 'account',
  role: 'admin',
  params: GameParams,
  body: Type.Object({ rules: Rules }),
  output: GroupingRules,
  statuses: [200],
  errors: ['notFound'],
});

const PreviewedGroup = Type.Object({
  group_id: Nullable(Type.String({ ...Uuid, description: 'null for a new group' })),
  title: Foreign(Type.String()),
  reports: Type.Integer({ description: 'Of the reports that were examined' }),
});

export const previewGroupingRules = defineOperation({
  id: 'crashes.previewGroupingRules',
  summary: 'Show which of the last 1,000 reports would move to another group by these rules, without saving them',
  method: 'POST',
  path: '/games/{uid}/grouping-rules/preview',
  access: 'account',
  tokenScope: 'crashes:read',
  role: 'admin',
  audit: false,
  params: GameParams,
  body: Type.Object({ rules: Rules }),
  output: Type.Object({
    reports: Type.Integer({ description: 'Number of reports that were examined' }),
    moved: Type.Integer({ description: 'Number of them that would move' }),
    groups_before: Type.Integer({ description: 'Number of their groups now' }),
    groups_after: Type.Integer(),
    moves: Type.Array(Type.Object({ from: PreviewedGroup, to: PreviewedGroup, reports: Type.Integer() }), {
      description: 'Most reports first, at most 100',
    }),
  }),
  statuses: [200],
  errors: ['notFound', 'limitReached'],
});
