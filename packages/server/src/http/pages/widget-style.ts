// The styles of the widget. They are part of its document, which has no other files than an image, so that a frame on
// another website appears at once. The colours are those of packages/web/src/tokens.css.
import { hash } from 'node:crypto';

/** The image is above the text instead of next to it, as high as the text permits. */
export const TALL = '(min-height: 240px) and (max-aspect-ratio: 5/4)';

export const WIDGET_STYLE = `
:root { color-scheme: light dark }
:root[data-theme="light"] { color-scheme: light }
:root[data-theme="dark"] { color-scheme: dark }
* { box-sizing: border-box; margin: 0 }
body {
  height: 100vh; overflow: hidden; display: flex;
  border: 1px solid light-dark(#d5dae0, #333940); border-radius: 6px;
  background: light-dark(#fff, #16181b); color: light-dark(#14171a, #d6d9dd);
  font: 14px/1.4 system-ui, sans-serif;
}
a { color: inherit; text-decoration: none }
a:hover { text-decoration: underline }
a:focus-visible { outline: 2px solid light-dark(#1c6e8c, #62b2cf); outline-offset: 2px }
.picture { flex: none; width: min(45%, 178vh); background: light-dark(#f3f5f7, #22262b) }
.picture img { display: block; width: 100%; height: 100%; object-fit: cover }
.text { flex: 1; min-width: 0; padding: 14px 16px; display: flex; flex-direction: column; gap: 2px }
h1 { font-size: 18px; line-height: 1.25; color: light-dark(#000, #f3f5f7) }
h1, .by { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.by, .systems, .site { color: light-dark(#5b6269, #a2a9b1) }
.tagline {
  margin-top: 4px; overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2;
}
.actions { margin-top: auto; display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px }
.button {
  padding: 7px 14px; border-radius: 6px; background: light-dark(#1c6e8c, #1f7fa1); color: #fff; font-weight: 600;
}
.button:hover { background: light-dark(#165a73, #1c6e8c); text-decoration: none }
.systems, .site { font-size: 12px }
.site { margin-left: auto }
.alone { margin: auto; padding: 16px; text-align: center }
@media (max-width: 419px) { .picture { width: 34% } .text { padding: 10px 12px } .tagline, .site { display: none } }
@media (max-width: 259px) { .picture { display: none } }
@media (max-height: 139px) { .tagline { display: none } .actions { row-gap: 4px } .button { padding-block: 5px } }
@media ${TALL} {
  body { flex-direction: column }
  .picture { display: block; flex: 1; width: 100%; min-height: 0 }
  .text { flex: none }
  .text:only-child { flex: 1; justify-content: center }
  h1 { white-space: normal; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2 }
  .actions { margin-top: 10px }
}
@media ${TALL} and (min-height: 300px) { .tagline { display: -webkit-box; -webkit-line-clamp: 3 } }
`;

/** The source of the style for Content-Security-Policy. */
export const WIDGET_STYLE_SOURCE = `'sha256-${hash('sha256', WIDGET_STYLE, 'base64')}'`;
