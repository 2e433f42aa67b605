// What pages are made of: the head, the trail above it, a panel or sections, and notices.
import { Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, Suspense, useId, useState } from 'react';
import { useTitle } from '../frame/page-title.ts';
import classes from './PageLayout.module.css';
import type { Tone } from './StateBadge.tsx';

type PageHeadProps = {
  title: string;
  /** Title of the browser tab, if it differs. Undefined if another part of the page sets it. */
  tabTitle?: string | undefined;
  /** The class of the title, if it is in another font. */
  titleClass?: string | undefined;
  /** Shown next to the title. */
  badges?: ReactNode;
  /** Buttons at the end of the line. */
  children?: ReactNode;
};

export function PageHead(props: PageHeadProps) {
  const { title, titleClass, badges, children } = props;
  useTitle('tabTitle' in props ? props.tabTitle : title);
  return (
    <Group justify="space-between" gap="sm">
      <Group gap="sm">
        <Title order={1} size="h2" className={titleClass} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        {badges}
      </Group>
      {children !== undefined && <Group gap="xs">{children}</Group>}
    </Group>
  );
}

type TrailProps = {
  /** Links to the pages above, the highest first. */
  parents: readonly { readonly key: string; readonly link: ReactNode }[];
  /** What the page is; undefined while it is loading. */
  current: string | undefined;
};

/** Shows the way to a page from its section, as links: `Crashes / render::measure / Report`. */
export function Trail({ parents, current }: TrailProps) {
  return (
    <nav aria-label="Breadcrumb" className={classes.trail}>
      <ol>
        {parents.map(({ key, link }) => (
          <li key={key}>{link}</li>
        ))}
        <li aria-current="page" title={current}>
          {current ?? '…'}
        </li>
      </ol>
    </nav>
  );
}

type PanelProps = {
  /** `narrow` for account forms. */
  size?: 'narrow' | 'normal';
  gap?: 'md' | 'lg';
  role?: 'status';
  children: ReactNode;
};

/**
 * A page with a single purpose, such as a form or a decision, as one narrow column. Its look is in site-frame.css,
 * because public pages have it too.
 */
export function Panel({ size = 'normal', gap = 'md', role, children }: PanelProps) {
  return (
    <Stack className="panel" data-size={size} gap={gap} role={role}>
      {children}
    </Stack>
  );
}

type SectionProps = {
  title: string;
  /** Shown at the end of the heading's line. */
  actions?: ReactNode;
  children: ReactNode;
};

/** A section of a page with its own heading. */
export function Section({ title, actions, children }: SectionProps) {
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Group justify="space-between" gap="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}

type NoticeProps = { tone: Tone; title: string; children?: ReactNode };

/** A highlighted message with a coloured line at its side. */
export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div className={classes.notice} data-tone={tone}>
      <Text fw={600} size="sm">
        {title}
      </Text>
      {children}
    </div>
  );
}

type FoldedSectionProps = {
  title: string;
  /** Shown after the title: a count, or a short description. */
  note?: string | number;
  children: ReactNode;
};

export function FoldedSection({ title, note, children }: FoldedSectionProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.folded} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Text span fw={600} size="sm">
          {title}
        </Text>
        {note !== undefined && (
          <Text span size="sm" c="dimmed">
            {note}
          </Text>
        )}
      </summary>
      {isOpen && (
        <div>
          <Suspense fallback={<Skeleton h={160} />}>{children}</Suspense>
        </div>
      )}
    </details>
  );
}

/** Lists what an action will change, above its button. */
export function Consequences({ lines }: { lines: readonly string[] }) {
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} className={classes.consequences}>
      <Text size="sm" fw={600} id={titleId}>
        What will change
      </Text>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}
