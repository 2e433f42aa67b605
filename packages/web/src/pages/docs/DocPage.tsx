// One page of the documentation, with its table of contents.
import { DOC_PAGES, findDoc } from '@chauffeur/contract/docs';
import { Skeleton, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useLocation, useNavigate } from '@tanstack/react-router';
import { type MouseEvent, useEffect } from 'react';
import { useTitle } from '../../frame/page-title.ts';
import { UnknownPage } from '../../frame/UnknownPage.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import classes from './Docs.module.css';
import { type Doc, docQuery } from './docs.ts';

const route = getRouteApi('/docs/$page');

export function DocPage() {
  const { page } = route.useParams();
  const { data: doc, error, refetch } = useQuery(docQuery(page));
  const entry = findDoc(page);
  useTitle(entry?.title);
  if (entry === undefined || doc === null) return <UnknownPage />;
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <SiteLink to="/docs" size="sm">
          Documentation
        </SiteLink>
        <Title order={1} size="h2">
          {entry.title}
        </Title>
      </header>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {doc === undefined && error === null && <Loading />}
      {doc !== undefined && (
        <>
          <Contents doc={doc} />
          <Body key={page} doc={doc} />
        </>
      )}
      <NextDoc page={page} />
    </div>
  );
}

function Contents({ doc: { headings } }: { doc: Doc }) {
  if (headings.length < 2) return null;
  const list = (
    <ul>
      {headings.map(({ id, text, depth }) => (
        <li key={id} data-depth={depth}>
          <a href={`#${id}`}>{text}</a>
        </li>
      ))}
    </ul>
  );
  return (
    <nav className={classes.contents} aria-label="On this page">
      <details className={classes.folded}>
        <summary>On this page</summary>
        {list}
      </details>
      <div className={classes.open}>{list}</div>
    </nav>
  );
}

function Body({ doc }: { doc: Doc }) {
  const navigate = useNavigate();
  const { hash } = useLocation();
  // The page loads after the URL has changed, so the browser could not scroll to the anchor itself.
  useEffect(() => {
    if (hash !== '') document.getElementById(hash)?.scrollIntoView();
  }, [hash]);
  const onClick = (event: MouseEvent<HTMLElement>) => {
    if (!(event.target instanceof Element)) return;
    const button = event.target.closest('[data-copy]');
    if (button !== null) return void copyCode(button);
    const href = event.target.closest('a')?.getAttribute('href');
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (href?.startsWith('/docs/') !== true || !isPlain) return;
    event.preventDefault();
    void navigate({ to: href });
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: it handles clicks on the links and buttons inside, which keys trigger too
    // biome-ignore lint/a11y/noStaticElementInteractions: as above
    // biome-ignore lint/security/noDangerouslySetInnerHtml: built from docs/ at build time, without any user input
    <div className={classes.body} onClick={onClick} dangerouslySetInnerHTML={{ __html: doc.html }} />
  );
}

const FEEDBACK_MS = 1500;

async function copyCode(button: Element): Promise<void> {
  const text = button.previousElementSibling?.textContent ?? '';
  const isCopied = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
  button.textContent = isCopied ? 'Copied' : 'Copy failed';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, FEEDBACK_MS);
}

function NextDoc({ page }: { page: string }) {
  const next = DOC_PAGES[DOC_PAGES.findIndex((each) => each.page === page) + 1];
  if (next === undefined) return null;
  return (
    <footer className={classes.onward}>
      Next:{' '}
      <SiteLink to="/docs/$page" params={{ page: next.page }}>
        {next.title}
      </SiteLink>
    </footer>
  );
}

function Loading() {
  return (
    <Stack className={classes.body} role="status" aria-busy="true" aria-label="Loading page">
      <Skeleton h={18} />
      <Skeleton h={18} w="80%" />
      <Skeleton h={120} />
    </Stack>
  );
}
