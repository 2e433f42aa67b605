// Shows a text with a copy button: an id shortened in the middle, or a block such as a command. The full text is
// copied.
import { ActionIcon, Code, Group } from '@mantine/core';
import { useEffect, useState } from 'react';
import { writeClipboard } from '../browser.ts';
import { t } from '../texts.tsx';
import { shorten } from './format.ts';

type CopyTextProps = {
  text: string;
  /** Names the text for screen readers: `build id`. */
  label: string;
  /** Shows the text in full, line breaks included. */
  block?: boolean;
  /** Called once the text is in the clipboard. */
  onCopied?: () => void;
};

const BLOCK = { flex: 1, minWidth: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;

const WORD = { display: 'inline-block', maxWidth: '100%' } as const;

const TITLES = { idle: 'copy', copied: 'copied', failed: 'copy.failed' } as const;
const LABELS = { idle: 'copy.named', copied: 'copied.named', failed: 'copy.failed' } as const;
const COLOURS = { idle: 'gray', copied: 'green', failed: 'red' } as const;

export function CopyText({ text, label, block = false, onCopied }: CopyTextProps) {
  const { state, copy } = useCopy();
  const press = async () => {
    if (await copy(text)) onCopied?.();
  };
  return (
    <Group gap={4} wrap="nowrap" align={block ? 'flex-start' : 'center'}>
      <Code block={block} title={block ? undefined : text} style={block ? BLOCK : undefined}>
        {block ? <Words text={text} /> : shorten(text, 6)}
      </Code>
      <ActionIcon
        variant="subtle"
        color={COLOURS[state]}
        size="sm"
        mt={block ? 6 : 0}
        onClick={() => void press()}
        title={t(TITLES[state])}
        aria-label={t(LABELS[state], { name: label })}
      >
        {state === 'copied' ? <CheckMark /> : <TwoSheets />}
      </ActionIcon>
    </Group>
  );
}

/**
 * Browsers break lines after hyphens, which would split `--version` in a command. Words longer than a line still break.
 */
function Words({ text }: { text: string }) {
  // biome-ignore-start lint/suspicious/noArrayIndexKey: the same word may be in a text twice, and none moves
  return text.split(/(\s+)/).map((part, index) =>
    index % 2 === 1 || part === '' ? (
      part
    ) : (
      <span key={index} style={WORD}>
        {part}
      </span>
    ),
  );
  // biome-ignore-end lint/suspicious/noArrayIndexKey: see above
}

const ICON = { width: 14, height: 14, viewBox: '0 0 16 16', fill: 'none', stroke: 'currentColor' } as const;

function TwoSheets() {
  return (
    <svg {...ICON} strokeWidth="1.5" aria-hidden="true">
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 3.5v-1h-8v8h1" />
    </svg>
  );
}

function CheckMark() {
  return (
    <svg {...ICON} strokeWidth="2" aria-hidden="true">
      <path d="m3 8.5 3.2 3.2L13 5" />
    </svg>
  );
}

const SHOWN_MS = 2000;

type Copy = {
  readonly state: 'idle' | 'copied' | 'failed';
  /** Resolves with whether the text was copied. */
  readonly copy: (text: string) => Promise<boolean>;
};

/** Copies text, and keeps the state of the button that does it: for a moment, the button shows whether that worked. */
export function useCopy(): Copy {
  const [state, setState] = useState<Copy['state']>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (text: string) => {
    const isCopied = await writeClipboard(text);
    setState(isCopied ? 'copied' : 'failed');
    return isCopied;
  };
  return { state, copy };
}
