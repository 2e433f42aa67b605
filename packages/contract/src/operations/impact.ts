// Whom crashes hit: devices, sessions and systems, of crash groups, builds and queries.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { CrashQuery, REPORT_KINDS } from './crash-groups.ts';
import { Foreign, GameParams, Nullable, Uuid } from './fields.ts';

const Counts = { reports: Type.Integer(), devices: Type.Integer() };

const FacetName = Type.String({ description: 'The name of its filter, such as gpu or metadata.level' });

const FacetValue = Type.Object({ value: Foreign(Type.String()), ...Counts });

const Facet = Type.Object({
  facet: FacetName,
  values: Type.Array(FacetValue, { description: 'The values with the most reports' }),
  other: Type.Object({ values: Type.Integer(), reports: Type.Integer() }, { description: 'All other values together' }),
});

export const getImpact = defineOperation({
  id: 'impact.get',
  summary: 'Count the devices, sessions and systems of the crashes of a group, a build or a query',
  method: 'GET',
  path: '/games/{uid}/crash-impact',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  query: Type.Object({
    group_id: Type.Optional(Uuid),
    build_id: Type.Optional(Uuid),
    query: CrashQuery,
    kind: Type.Optional(
      Type.Enum([...REPORT_KINDS], {
        description: 'Crashes, or errors that the game handled; crash by default. A group has reports of one kind',
      }),
    ),
    values: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'Values of each facet; 5 by default' }),
    ),
  }),
  output: Type.Object({
    ...Counts,
    sessions: Type.Integer(),
    counted: Type.Enum(['all', 'newest'], {
      description:
        'all: every stored report. newest: the facets, and with a query all numbers, are of the newest 2,000 reports, because more match',
    }),
    devices_of: Nullable(
      Type.Object({
        scope: Type.Enum(['game', 'build']),
        devices: Type.Integer({ description: 'Devices that sent events: all that ever did, or those of the build' }),
      }),
    ),
    facets: Type.Array(Facet),
    builds: Type.Array(Type.Object({ build_id: Uuid, version: Type.String(), ...Counts, sessions: Type.Integer() }), {
      description: 'Of a group: the builds with the most devices',
    }),
    groups: Type.Array(
      Type.Object({ group_id: Uuid, title: Foreign(Type.String()), ...Counts, sessions: Type.Integer() }),
      { description: 'Of a build: the groups with the most devices' },
    ),
  }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'get_crash_impact',
    when: 'Use it to see how many players a crash or a build hits, and whether they have a GPU, driver, OS version or level in common.',
    scope: 'mcp:read',
  },
});

export const listFacetValues = defineOperation({
  id: 'impact.listValues',
  summary: 'List the facets of crash reports and the values of one, to filter by',
  method: 'GET',
  path: '/games/{uid}/crash-facets',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  query: Type.Object({
    facet: Type.Optional(Type.String({ minLength: 1, maxLength: 80, description: 'The facet whose values to list' })),
    part: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Only values that contain it' })),
  }),
  output: Type.Object({
    facets: Type.Array(FacetName),
    values: Type.Array(Foreign(Type.String()), { description: 'Up to 50 values of the facet; empty without one' }),
  }),
  statuses: [200],
  errors: ['notFound'],
});
