// The document around public pages, which the build of the website gives its styles and scripts.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WEBSITE_FOLDER } from '../../folders.ts';
import { fillHead, type PageHead } from '../page-head.ts';
import type { Html } from './html.ts';
import type { PublicPage } from './visit.ts';

/** Its name is also in the build of the website, packages/web/vite.config.ts. */
const TEMPLATE = 'public.html';
const SCHEME = '<script src="/scheme.js"></script>';
const MAIN_PLACE = '<!--page-->';

/** What a page may load in addition to its own files: frames of these origins, and videos of this site. */
export type PageNeeds = Pick<PublicPage, 'frames' | 'playsVideos'>;

export type PublicDocument = {
  fill(head: PageHead, body: Html): string;
  /** The Content-Security-Policy of a page. */
  policy(needs: PageNeeds): string;
};

/** The script that sets the colour scheme is part of the page, which would otherwise wait for it. */
export function readPublicDocument(): PublicDocument {
  const scheme = readFileSync(join(WEBSITE_FOLDER, 'scheme.js'), 'utf8');
  const template = readFileSync(join(WEBSITE_FOLDER, TEMPLATE), 'utf8').replace(
    SCHEME,
    () => `<script>${scheme}</script>`,
  );
  const schemeHash = hash('sha256', scheme, 'base64');
  return {
    fill: (head, body) => fillHead(template, head).replace(MAIN_PLACE, () => body.text),
    policy: (needs) => policyOf(schemeHash, needs),
  };
}

/**
 * Only the site's own files. Images may come from the bucket that stores them, and the players of a page's videos from
 * their websites.
 */
function policyOf(schemeHash: string, { frames = [], playsVideos = false }: PageNeeds): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${schemeHash}'`,
    "style-src 'self'",
    "img-src 'self' data: https:",
    "connect-src 'self'",
    "manifest-src 'self'",
    ...(playsVideos ? ["media-src 'self'"] : []),
    ...(frames.length > 0 ? [`frame-src ${frames.join(' ')}`] : []),
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}
