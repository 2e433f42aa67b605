import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { preparePage, SANDBOX_SCRIPT } from './sandbox-page.ts';

/** The page with a short script, which is left out again. */
const share = (page: string) => preparePage(page, '+').replace('<script>+</script>', '');

describe('preparePage', () => {
  it('adds the script before everything else, and after the doctype, which must stay first', () => {
    for (const [page, expected] of [
      ['<!doctype html><html>', '<!doctype html>+<html>'],
      [
        '\xef\xbb\xbf\n<!-- a > b --><!DOCTYPE html PUBLIC "x">\n<p>',
        '\xef\xbb\xbf\n<!-- a > b --><!DOCTYPE html PUBLIC "x">\n+<p>',
      ],
      ['<!--><script></script>', '<!-->+<script></script>'],
      ['<?xml version="1.0"?><!doctype html>', '<?xml version="1.0"?><!doctype html>+'],
      ['text', '+text'],
      ['', '+'],
      ['<!-- open <p>', '+<!-- open <p>'],
    ] as const)
      assert.equal(preparePage(page, '+').replace('<script>+</script>', '+'), expected);
  });

  it('loads scripts, images, styles, sounds and films of the game with CORS', () => {
    for (const [page, expected] of [
      ['<script src="a.js"></script>', '<script crossorigin src="a.js"></script>'],
      ['<SCRIPT\nASYNC SRC=a.js>', '<SCRIPT crossorigin\nASYNC SRC=a.js>'],
      ["<img alt='a > b' src = 'a.png'/>", "<img crossorigin alt='a > b' src = 'a.png'/>"],
      ['<img srcset="a.png 2x">', '<img crossorigin srcset="a.png 2x">'],
      ['<link rel=stylesheet href=/play/x/a.css>', '<link crossorigin rel=stylesheet href=/play/x/a.css>'],
      ['<audio src=a.ogg><video src=b.webm>', '<audio crossorigin src=a.ogg><video crossorigin src=b.webm>'],
      // The first of two attributes counts, and cookies are never sent.
      ['<img crossorigin="use-credentials" src=a>', '<img crossorigin crossorigin="use-credentials" src=a>'],
    ] as const)
      assert.equal(share(page), expected);
  });

  it('leaves alone what other servers have, what loads nothing, and what is not an element', () => {
    for (const page of [
      '<script src="https://cdn.example.com/a.js"></script>',
      '<img src="//cdn.example.com/a.png"><img src="data:image/png;base64,AA"><img src=""><img>',
      '<script>document.write("<script src=a.js>")</script>',
      '<script>"<img src=a>"</SCRIPT ><style><img src=a></style><textarea><img src=a></textarea>',
      '<!-- <img src=a> --><div title="<img src=a>" data-x=\'<script src=a>\'><a href=a>',
      '<imgs src=a><video><source src=a>',
      '<base href="https://cdn.example.com/"><img src=a>',
      '<script>var open = "<img src=a>"',
      '\xff\xfe<\0i\0m\0g\0 \0s\0r\0c\0=\0a\0>\0',
    ])
      assert.equal(share(page), page);
  });

  it('takes time in proportion to the page, whatever is in it', () => {
    const bytes = 2 * 1024 * 1024;
    for (const piece of [
      '<',
      '<a ',
      '<a',
      '<img src=a ',
      '<img a="',
      "<img a='",
      '<img src=a>',
      '<!--',
      '<!-- -->',
      '<script>',
      '<script></script>',
      '<title>',
      ' ',
      '/',
      '<a b=',
      '=',
      '"',
      '<!doctype',
      '<?',
      '<img a= ',
      '</script',
      '<p x="<p y=\'',
    ]) {
      const page = piece.repeat(Math.ceil(bytes / piece.length));
      const { user } = process.cpuUsage();
      preparePage(page, '+');
      const seconds = (process.cpuUsage().user - user) / 1e6;
      assert.ok(seconds < 5, `${JSON.stringify(piece)} took ${seconds} s`);
    }
  });
});

it('the script for the sandbox can be part of a page, and refers to nothing outside itself', () => {
  assert.doesNotMatch(SANDBOX_SCRIPT, /<\/script|<!--|[^\0-\x7f]/i);
  assert.doesNotThrow(() => new Function(SANDBOX_SCRIPT));
  assert.doesNotMatch(SANDBOX_SCRIPT, /^\s*\/\//m);
});
