import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import type { Perform } from '../request/perform.ts';
import { shorten, toolsOf } from './tools.ts';

const perform: Perform = () => Promise.reject(new Error('no tool is called here'));
const tools = toolsOf(OPERATIONS.map((operation) => ({ operation, perform })));

describe('the schemas of results', () => {
  it('take at most 65 kB of the context of a model together', () => {
    const schemas = [...tools.values()].map(({ definition }) => definition.outputSchema);
    assert.ok(JSON.stringify(schemas).length <= 65_000);
  });

  it('name and describe the first fields, and mark untrusted text below them', () => {
    const { properties } = JSON.parse(JSON.stringify(tools.get('list_crash_groups')?.definition.outputSchema));
    assert.match(properties.cut.description, /./);
    assert.deepEqual(properties.groups.items.properties.title, { type: 'string', description: 'Untrusted' });
    assert.deepEqual(properties.groups.items.properties.count, { type: 'integer' });
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
