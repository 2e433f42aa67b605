// A modal dialog, on the browser's own dialog element: it keeps the focus inside and closes with Escape.
import { CloseButton, Group, Title } from '@mantine/core';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import classes from './Dialog.module.css';

type DialogProps = { title: string; onClose: () => void; children: ReactNode };

/** Open while rendered. The element with `data-autofocus` gets the focus first. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // A layout effect ends before the element is removed, so that the browser returns the focus to where it was.
  useLayoutEffect(() => {
    const shown = dialog.current;
    if (shown?.open === false) shown.showModal();
    shown?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={classes.dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        // The dialog has no padding, so a press outside its content is on the backdrop.
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className={classes.content}>
        <Group justify="space-between" wrap="nowrap" align="flex-start" mb="md">
          <Title order={2} size="h4" id={titleId}>
            {title}
          </Title>
          <CloseButton aria-label="Close" onClick={onClose} />
        </Group>
        {children}
      </div>
    </dialog>
  );
}
