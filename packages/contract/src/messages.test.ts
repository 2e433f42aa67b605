import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bodiesOf, parametersOf, successesOf } from './messages.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './operations/all.ts';
import { findProblem } from './validate.ts';

function operation(id: string): Operation {
  return OPERATIONS.find((one) => one.id === id)!;
}

const formatsOf = (id: string) =>
  successesOf(operation(id)).map(({ status, contents }) => [
    status,
    contents.map(({ contentType, enveloped }) => `${contentType}${enveloped ? ' in an envelope' : ''}`),
  ]);

describe('every operation', () => {
  test('answers either an envelope or bytes of named content types', () => {
    const wrong = OPERATIONS.filter(
      ({ output, answerTypes }) => (output === undefined) === (answerTypes === undefined),
    );
    assert.deepEqual(
      wrong.map(({ id }) => id),
      [],
    );
  });

  test('that takes a form names the content type of each of its files', () => {
    const forms = OPERATIONS.flatMap((one) =>
      bodiesOf(one).flatMap(({ contentType, schema }) =>
        contentType === 'multipart/form-data' ? [{ id: one.id, text: JSON.stringify(schema) }] : [],
      ),
    );
    assert.ok(forms.length >= 6);
    for (const { id, text } of forms) assert.match(text, /"format":"binary","contentMediaType":"/, id);
  });

  test('has one form of its output for each status, where the output is a union', () => {
    for (const { id, output, statuses } of OPERATIONS) {
      const { anyOf } = (output ?? {}) as { anyOf?: unknown[] };
      if (anyOf !== undefined) assert.equal(anyOf.length, statuses.length, id);
    }
  });

  test('has examples that fit its schemas', () => {
    const examples = OPERATIONS.flatMap(({ id, body, output, example }) => [
      ...(example?.body === undefined ? [] : [{ id, schema: body!, value: example.body }]),
      ...(example?.answer === undefined ? [] : [{ id, schema: output!, value: example.answer }]),
    ]);
    assert.ok(examples.length >= 4);
    for (const { id, schema, value } of examples) assert.equal(findProblem(schema, value), null, id);
  });
});

test('reports and events name their game in headers, or in the address', () => {
  for (const id of ['crashes.create', 'crashes.createUnreal', 'events.create']) {
    const names = parametersOf(operation(id)).map(({ name, place }) => `${place} ${name}`);
    assert.deepEqual(
      ['header X-App-Id', 'header X-Build-Id', 'query app_id', 'query build_id'].filter(
        (name) => !names.includes(name),
      ),
      [],
      id,
    );
  }
});

test('a crash report may be JSON or a form, and is answered as its sender expects', () => {
  assert.deepEqual(
    bodiesOf(operation('crashes.create')).map(({ contentType }) => contentType),
    ['application/json', 'multipart/form-data'],
  );
  assert.deepEqual(formatsOf('crashes.create'), [
    [200, ['text/plain']],
    [201, ['application/json in an envelope']],
  ]);
});

test('a download may be partial, moved, unchanged, or out of range', () => {
  assert.deepEqual(formatsOf('store.download'), [
    [200, ['application/zip']],
    [206, ['application/zip']],
    [302, []],
    [304, []],
    [416, []],
  ]);
  const headers = parametersOf(operation('store.download')).filter(({ place }) => place === 'header');
  assert.deepEqual(
    headers.map(({ name }) => name),
    ['If-None-Match', 'Range', 'If-Range'],
  );
});

test('an upload answers a file when it is whole, and a receipt for a chunk', () => {
  const fieldsAt = (status: number) => {
    const { contents } = successesOf(operation('uploads.file')).find((success) => success.status === status)!;
    return Object.keys((contents[0]!.schema as unknown as { properties: object }).properties);
  };
  assert.ok(fieldsAt(201).includes('file_uid'));
  assert.ok(fieldsAt(202).includes('progress'));
});
