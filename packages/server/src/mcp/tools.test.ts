import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import type { Perform } from '../request/perform.ts';
import { chooseTools, TOOL_GROUPS, toolGroupOf } from './tool-choice.ts';
import { shorten, toolsOf } from './tools.ts';

const perform: Perform = () => Promise.reject(new Error('no tool is called here'));
const tools = toolsOf(OPERATIONS.map((operation) => ({ operation, perform })));

describe('the schemas of results', () => {
  it('take at most 100 kB of the context of a model together', () => {
    const schemas = [...tools.values()].map(({ definition }) => definition.outputSchema);
    assert.ok(JSON.stringify(schemas).length <= 100_000);
  });

  it('name and describe the first fields, and mark untrusted text below them', () => {
    const { properties } = JSON.parse(JSON.stringify(tools.get('list_crash_groups')?.definition.outputSchema));
    assert.match(properties.cut.description, /./);
    assert.deepEqual(properties.groups.items.properties.title, { type: 'string', description: 'Untrusted' });
    assert.deepEqual(properties.groups.items.properties.count, { type: 'integer' });
  });

  it("leave out descriptions that are in the server's instructions", () => {
    const { properties } = JSON.parse(JSON.stringify(tools.get('list_dsns')?.definition.outputSchema));
    assert.deepEqual(properties.dsns.items.properties.dsn_id, { type: 'string' });
    assert.deepEqual(properties.dsns.items.properties.created_at, { type: 'string' });
    const page = JSON.parse(JSON.stringify(tools.get('list_crash_groups')?.definition.outputSchema));
    assert.deepEqual(page.properties.next_cursor, { type: ['string', 'null'] });
  });

  it('allow whatever the whole schema allows', () => {
    const whole = {
      type: 'object',
      properties: {
        id: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        place: {
          anyOf: [{ type: 'object', properties: { city: { type: 'string', maxLength: 9 } } }, { type: 'null' }],
        },
        list: { type: 'array', maxItems: 2, items: { type: 'string', format: 'uuid' } },
      },
      required: ['id'],
      additionalProperties: false,
    };
    assert.deepEqual(JSON.parse(JSON.stringify(shorten(whole as never))), {
      type: 'object',
      properties: {
        id: { type: ['string', 'null'] },
        place: { anyOf: [{ type: 'object', properties: { city: { type: 'string' } } }, { type: 'null' }] },
        list: { type: 'array', items: { type: 'string' } },
      },
      required: ['id'],
    });
  });
});

describe('the choice of tools', () => {
  const namesOf = (choice?: string) => [...chooseTools(tools, choice).keys()];

  it('offers all tools by default', () => assert.deepEqual(namesOf(), [...tools.keys()]));

  it('has every tool in one group, and no group without tools or with the name of a tool', () => {
    const groups = new Set([...tools.values()].map(toolGroupOf));
    assert.deepEqual([...groups].sort(), Object.keys(TOOL_GROUPS).sort());
    for (const group of groups) assert.equal(tools.has(group), false, group);
  });

  it('is a list of groups and single tools, to which list_games belongs', () => {
    const names = namesOf('symbols, get_crash');
    assert.deepEqual(names.toSorted(), ['delete_build_symbols', 'get_crash', 'list_build_symbols', 'list_games']);
    assert.deepEqual(
      names,
      [...tools.keys()].filter((name) => names.includes(name)),
    );
  });

  it('adds the tools for approvals if a chosen tool can need one', () => {
    const approvals = ['confirm_approval', 'get_approval'];
    assert.deepEqual(namesOf('promote_build').toSorted(), [...approvals, 'list_games', 'promote_build']);
    assert.deepEqual(namesOf('list_channels').toSorted(), ['list_channels', 'list_games']);
  });

  it('that is invalid names all groups and tools', () => {
    for (const choice of ['', 'crash', 'crashes,', 'crashes,list_crash', 'constructor', 'Crashes'])
      assert.throws(
        () => namesOf(choice),
        {
          code: 4002,
          message: /groups are approvals, .*symbols\. The tools are abort_rollout, .*update_crash_group\./,
        },
        choice,
      );
  });
});
