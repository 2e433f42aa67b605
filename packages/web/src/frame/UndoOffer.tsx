// What was just done, and the button that undoes it.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import classes from './Frame.module.css';
import { type Offered, offerUndo } from './offer-undo.ts';

const SHOWN_MS = 15_000;

export function UndoOffer({ undoable }: { undoable: Offered }) {
  /** While someone is about to press the button, it must not disappear. */
  const [isHeld, setHeld] = useState(false);
  const undoing = useMutation({ mutationFn: undoable.undo, onSuccess: () => offerUndo(null) });
  const stays = isHeld || undoing.isPending;
  useEffect(() => {
    if (stays) return;
    const timer = setTimeout(() => offerUndo(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [stays]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notices that someone is at the button inside
    <div
      className={classes.undoToast}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span>{undoing.isError ? `This couldn't be undone. ${undoing.error.message}` : undoable.message}</span>
      <Button size="compact-sm" variant="default" loading={undoing.isPending} onClick={() => undoing.mutate()}>
        {undoing.isError ? 'Try again' : 'Undo'}
      </Button>
    </div>
  );
}
