// The frames of one thread: the game’s own stand out, others are folded, and what is only a guess says so.
import { Text } from '@mantine/core';
import { useState } from 'react';
import classes from './Stack.module.css';
import { type NumberedFrame, partsOf, type StackThread, sayFunction, sayModules, sayPlace } from './stack-lines.ts';

export function Stack({ thread, label }: { thread: StackThread; label: string }) {
  const { frames, more_frames: more, cut } = thread;
  return (
    <>
      <ol className={classes.stack} aria-label={label}>
        {partsOf(frames).map((part, index) =>
          part.kind === 'frame' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: a recursion has the same frame again and again, and none ever moves
            <Frame key={index} frame={part.frame} isFirst={part.isFirstOwn} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <Fold key={index} frames={part.frames} />
          ),
        )}
      </ol>
      {more > 0 && (
        <Text size="sm" c="dimmed" mt={4}>
          … and {more} more; the stack as text has them all.
        </Text>
      )}
      {cut && (
        <Text size="sm" c="dimmed" mt={4}>
          The walk ended at a limit before the stack did.
        </Text>
      )}
    </>
  );
}

function Fold({ frames }: { frames: readonly NumberedFrame[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <li>
        <button type="button" className={classes.fold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? '▾' : '▸'} {frames.length} frames of {sayModules(frames)}
        </button>
      </li>
      {isOpen &&
        frames.map((frame, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a frame has nothing else, and never moves
          <Frame key={index} frame={frame} isFirst={false} />
        ))}
    </>
  );
}

function Frame({ frame, isFirst }: { frame: NumberedFrame; isFirst: boolean }) {
  const { number, function: name, inlined, own, trust } = frame;
  return (
    <li
      className={classes.frame}
      data-own={own || undefined}
      data-first={isFirst || undefined}
      data-inlined={inlined || undefined}
    >
      <span className={classes.number}>{inlined ? '' : number}</span>
      <span className={classes.name}>
        {name === null ? <i>no name</i> : <span title={name}>{sayFunction(name)}</span>}
        {inlined && <span className={classes.mark}>inlined</span>}
        {trust === 'scan' && (
          <span className={classes.mark}>
            <span
              className={classes.guess}
              title="A word on the stack that looks like a return address: it may be of a call that was over long ago"
            >
              a guess
            </span>
          </span>
        )}
      </span>
      <span className={classes.place}>{sayPlace(frame)}</span>
    </li>
  );
}
