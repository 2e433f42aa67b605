import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type FormRequest, isFromCrashpad } from './form.ts';

const form = (sent: Partial<FormRequest>): FormRequest => ({
  headers: { 'content-length': '100' },
  query: { app_id: 'a', build_id: 'b' },
  fields: new Map([
    ['prod', 'Racer'],
    ['ver', '1.0'],
    ['guid', 'abc'],
  ]),
  ...sent,
});

it("recognizes Breakpad's form", () => {
  assert.equal(isFromCrashpad(form({})), false);
  assert.equal(isFromCrashpad(form({ headers: { 'content-encoding': 'identity' } })), false);
  assert.equal(isFromCrashpad(form({ query: { guid: ['a', 'b'] } })), false);
});

const SIGNS: Readonly<Record<string, Partial<FormRequest>>> = {
  'is compressed': { headers: { 'content-encoding': 'GZIP', 'content-length': '100' } },
  'is chunked': { headers: { 'transfer-encoding': 'chunked' } },
  'has annotations in the query': { query: { app_id: 'a', product: 'Racer' } },
  'has annotations of Electron': { fields: new Map([['_productName', 'Racer']]) },
};
for (const [what, sent] of Object.entries(SIGNS))
  it(`recognizes Crashpad by a form that ${what}`, () => assert.equal(isFromCrashpad(form(sent)), true));
