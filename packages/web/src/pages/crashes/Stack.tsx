// The frames of a thread. Frames of the game stand out, runs of other frames are folded, and guessed frames are marked.
import type { StackThread } from '@chauffeur/contract/operations/crash-stacks';
import { Anchor, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import classes from './Stack.module.css';
import {
  formatFunction,
  formatLocation,
  formatModules,
  type NumberedFrame,
  partsOf,
  type Source,
  type SourceFrame,
} from './stack-frames.ts';
import type { LinkOf } from './use-crash.ts';

type StackProps = {
  thread: Omit<StackThread, 'frames'> & { readonly frames: readonly SourceFrame[] };
  label: string;
  linkOf: LinkOf;
  /** Whether the frames that are left out can be downloaded. */
  hasMore?: boolean;
};

export function Stack({ thread, label, linkOf, hasMore = true }: StackProps) {
  const { frames, more_frames: more, cut } = thread;
  return (
    <>
      <ol className={classes.stack} aria-label={label}>
        {partsOf(frames).map((part, index) =>
          part.kind === 'frame' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: recursion repeats equal frames, and their order never changes
            <Frame key={index} frame={part.frame} isFirst={part.isFirstOwn} linkOf={linkOf} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <Fold key={index} frames={part.frames} linkOf={linkOf} />
          ),
        )}
      </ol>
      {more > 0 && (
        <Text size="sm" c="dimmed" mt={4}>
          {`More frames: ${more}.${hasMore ? ' Download the stack to see all of them.' : ''}`}
        </Text>
      )}
      {cut && (
        <Text size="sm" c="dimmed" mt={4}>
          The stack was too deep to be read completely.
        </Text>
      )}
    </>
  );
}

function Fold({ frames, linkOf }: { frames: readonly NumberedFrame[]; linkOf: LinkOf }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <li>
        <button type="button" className={classes.fold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {`${isOpen ? '▾' : '▸'} ${frames.length} frames in ${formatModules(frames)}`}
        </button>
      </li>
      {isOpen &&
        frames.map((frame, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a frame has no ID, and the order never changes
          <Frame key={index} frame={frame} isFirst={false} linkOf={linkOf} />
        ))}
    </>
  );
}

function Frame({ frame, isFirst, linkOf }: { frame: NumberedFrame; isFirst: boolean; linkOf: LinkOf }) {
  const link = linkOf(frame);
  const { number, function: name, inlined, own, trust, source = null } = frame;
  const [isOpen, setOpen] = useState(isFirst);
  return (
    <li
      className={classes.frame}
      data-own={own || undefined}
      data-first={isFirst || undefined}
      data-inlined={inlined || undefined}
    >
      {source === null ? (
        <span className={classes.number}>{inlined ? '' : number}</span>
      ) : (
        <UnstyledButton
          className={classes.toggle}
          aria-expanded={isOpen}
          aria-label={`Source of frame ${number}`}
          onClick={() => setOpen(!isOpen)}
        >
          {`${isOpen ? '▾' : '▸'} ${number}`}
        </UnstyledButton>
      )}
      <span className={classes.name}>
        {name === null ? <i>unnamed</i> : <span title={name}>{formatFunction(name)}</span>}
        {inlined && <span className={classes.mark}>inlined</span>}
        {trust === 'scan' && (
          <span className={classes.mark}>
            <span
              className={classes.guess}
              title="Found by scanning the stack for return addresses. The call may have ended before the crash."
            >
              guessed
            </span>
          </span>
        )}
      </span>
      <span className={classes.place}>
        {link === null ? (
          formatLocation(frame)
        ) : (
          <Anchor href={link} target="_blank" rel="noreferrer" inherit>
            {formatLocation(frame)}
          </Anchor>
        )}
      </span>
      {source !== null && isOpen && <SourceLines source={source} />}
    </li>
  );
}

/** The lines of source code around the line of a frame, which is marked. */
function SourceLines({ source: { first_line: first, at, lines } }: { source: Source }) {
  return (
    <ol className={classes.source} aria-label="Source code">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines repeat, and their order never changes
        <li key={index} aria-current={index === at || undefined}>
          <span className={classes.number}>{first === null ? '' : first + index}</span>
          <code>{line}</code>
        </li>
      ))}
    </ol>
  );
}
