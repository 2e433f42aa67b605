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
  const known = findDoc(page);
  useTitle(known?.title);
  if (known === undefined || doc === null) return <UnknownPage />;
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <SiteLink to="/docs" size="sm">
          Documentation
        </SiteLink>
        <Title order={1} size="h2">
          {known.title}
        </Title>
      </header>
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {doc === undefined && error === null && <Waiting />}
      {doc !== undefined && (
        <>
          <Contents doc={doc} />
          <Body key={page} doc={doc} />
        </>
      )}
      <Onward page={page} />
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
  // The page came after the address: its anchor was not there yet.
  useEffect(() => {
    if (hash !== '') document.getElementById(hash)?.scrollIntoView();
  }, [hash]);
  const onClick = (event: MouseEvent<HTMLElement>) => {
    if (!(event.target instanceof Element)) return;
    const button = event.target.closest('[data-copy]');
    if (button !== null) return void copyLines(button);
    const href = event.target.closest('a')?.getAttribute('href');
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (href?.startsWith('/docs/') !== true || !isPlain) return;
    event.preventDefault();
    void navigate({ to: href });
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: it hears the clicks on links and buttons within, which the keyboard makes too.
    // biome-ignore lint/a11y/noStaticElementInteractions: as above.
    // biome-ignore lint/security/noDangerouslySetInnerHtml: made of docs/ when the website was built; nothing of a visitor is in it.
    <div className={classes.body} onClick={onClick} dangerouslySetInnerHTML={{ __html: doc.html }} />
  );
}

const SAID_MS = 1500;

async function copyLines(button: Element): Promise<void> {
  const text = button.previousElementSibling?.textContent ?? '';
  const isCopied = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
  button.textContent = isCopied ? 'Copied' : 'Select it to copy';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, SAID_MS);
}

function Onward({ page }: { page: string }) {
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

function Waiting() {
  return (
    <Stack className={classes.body} role="status" aria-busy="true" aria-label="Loading the page">
      <Skeleton h={18} />
      <Skeleton h={18} w="80%" />
      <Skeleton h={120} />
    </Stack>
  );
}
