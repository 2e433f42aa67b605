// A text to be copied: an id shortened in the middle, or a command as it is; whole on the clipboard.
import { ActionIcon, Code, CopyButton, Group } from '@mantine/core';
import { shorten } from './say.ts';

type CopyTextProps = {
  text: string;
  /** What it is, for who cannot see it: `build id`. */
  what: string;
  /** Shown whole, and on several lines where it has them. */
  whole?: boolean;
};

const BLOCK = { flex: 1, minWidth: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;

export function CopyText({ text, what, whole = false }: CopyTextProps) {
  return (
    <Group gap={4} wrap="nowrap" align={whole ? 'flex-start' : 'center'}>
      <Code block={whole} title={whole ? undefined : text} style={whole ? BLOCK : undefined}>
        {whole ? text : shorten(text, 6)}
      </Code>
      <CopyButton value={text} timeout={1500}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            color={copied ? 'green' : 'gray'}
            size="sm"
            onClick={copy}
            title={copied ? 'Copied' : 'Copy'}
            aria-label={copied ? `Copied: ${what}` : `Copy ${what}`}
          >
            {copied ? <CheckMark /> : <TwoSheets />}
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  );
}

function TwoSheets() {
  return (
    <svg
      width="14"
      height="14"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      aria-hidden="true"
    >
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 3.5v-1h-8v8h1" />
    </svg>
  );
}

function CheckMark() {
  return (
    <svg
      width="14"
      height="14"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      aria-hidden="true"
    >
      <path d="m3 8.5 3.2 3.2L13 5" />
    </svg>
  );
}
