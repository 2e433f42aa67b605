import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitTitle } from './split-title.ts';

const FUNCTIONS = [
  ['main', ['', 'main', '']],
  [
    'game::World<Tile, int>::load<Map>(std::string const&)',
    ['game::World<Tile, int>::', 'load', '<Map>(std::string const&)'],
  ],
  ['(anonymous namespace)::spawn(int)', ['(anonymous namespace)::', 'spawn', '(int)']],
  ['abort | game::Save::write(char const*)', ['abort | game::Save::', 'write', '(char const*)']],
  ['Game.Player.Update()', ['Game.Player.', 'Update', '()']],
  ['game::{lambda#1}::operator()(int)', ['game::{lambda#1}::', 'operator()', '(int)']],
  ['Point::operator<(Point const&)', ['Point::', 'operator<', '(Point const&)']],
] as const;

for (const [title, [before, name, after]] of FUNCTIONS) {
  test(`the function of ${title} is ${name}`, () => {
    assert.deepEqual(splitTitle(title), { before, name, after });
  });
}

for (const title of ['', 'Out of memory', 'a | ', 'broken<int', 'game::', '<unknown>']) {
  test(`“${title}” has no name of a function`, () => {
    assert.equal(splitTitle(title), null);
  });
}

test('a long title takes linear time', () => {
  assert.equal(splitTitle('<'.repeat(100_000)), null);
  assert.equal(splitTitle('a::'.repeat(100_000)), null);
});
