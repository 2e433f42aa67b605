import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  byBytes,
  findNameProblem,
  findSameButForCase,
  findTargetProblem,
  matchesGlob,
  startsLikeProgram,
} from './names.ts';

test('names that would be unpacked elsewhere or differently are refused', () => {
  for (const name of ['a\\b', 'C:evil', 'bad\uFFFDname', 'lone\uD800'])
    assert.notEqual(findNameProblem(name), null, name);
  for (const name of ['a/b', 'ä.txt', 'xx:y', '.hidden', '..two']) assert.equal(findNameProblem(name), null, name);
});

test('names with line breaks, control characters or reversed text are refused, and for Windows also names that it cannot create', () => {
  for (const name of ['a\nb', 'Icon\r', 'a\u202Egpj.exe', 'a\u0007'])
    assert.match(findNameProblem(name) ?? '', /line break/, name);
  for (const name of ['CON', 'data/nul.txt', 'ab:c', 'end.', 'end /x']) {
    assert.match(findNameProblem(name, 'windows') ?? '', /Windows cannot create it/, name);
    assert.equal(findNameProblem(name, 'linux'), null, name);
  }
});

test('files that differ only in case are found if the build’s OS does not distinguish them', () => {
  const paths = ['Data/', 'Data/Map', 'data/', 'data/map'];
  assert.deepEqual(findSameButForCase(paths, 'windows'), ['Data/Map', 'data/map']);
  assert.deepEqual(findSameButForCase(['Data', 'data/'], 'macos'), ['Data', 'data/']);
  assert.equal(findSameButForCase(paths.slice(0, 3), 'windows'), null);
  assert.equal(findSameButForCase(paths, 'linux'), null);
});

test('a symlink can only point inside the folder', () => {
  for (const target of ['', '/etc', '../..', '../../x', 'C:/x', 'x/../y', 'x\\y']) {
    assert.notEqual(findTargetProblem('a/link', target), null, target);
  }
  for (const target of ['b', '../b', './c', '.././b', 'missing'])
    assert.equal(findTargetProblem('a/link', target), null, target);
});

test('names are sorted by bytes, with a folder before its contents', () => {
  const names = ['b', 'a/x', 'a.txt', 'a/', 'B', 'ä'].map((name) => ({ name: Buffer.from(name) }));
  assert.deepEqual(
    names.sort(byBytes).map(({ name }) => name.toString()),
    ['B', 'a.txt', 'a/', 'a/x', 'b', 'ä'],
  );
});

test('globs without a slash match names at any depth, other globs match the whole path', () => {
  assert.ok(matchesGlob('deep/down/a.pdb', '*.pdb'));
  assert.ok(matchesGlob('saves/slot1', 'saves/*'));
  assert.ok(!matchesGlob('deep/saves/slot1', 'saves/*'));
  assert.ok(matchesGlob('deep/saves/slot1', '**/saves/*'));
  assert.ok(matchesGlob('logs', 'logs/'));
  assert.ok(matchesGlob('deep/logs', 'logs/'));
  assert.ok(!matchesGlob('deep/logs', '/logs'));
});

test('programs are recognized by their first bytes', () => {
  for (const head of ['\x7fELF', '#!/bin/sh', '\xcf\xfa\xed\xfe', '\xca\xfe\xba\xbe']) {
    assert.ok(startsLikeProgram(Buffer.from(head, 'latin1')));
  }
  for (const head of ['', '#', 'MZ\x90\x00', '{"a":1}']) assert.ok(!startsLikeProgram(Buffer.from(head, 'latin1')));
});
