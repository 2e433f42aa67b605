// A modal dialog, on the browser's own dialog element, which keeps the focus inside. Escape or a press outside closes it,
// after a question if something was typed into it.
import { Button, CloseButton, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { t } from '../texts.tsx';
import classes from './Dialog.module.css';

type DialogProps = { title: string; onClose: () => void; children: ReactNode };

/** Open while rendered. The element with `data-autofocus` gets the focus first. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const typed = useTyped();
  const [isAsking, setAsking] = useState(false);
  // A layout effect ends before the element is removed, so that the browser returns the focus to where it was.
  useLayoutEffect(() => {
    const shown = dialog.current;
    if (shown?.open === false) shown.showModal();
    shown?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => shown?.close();
  }, []);
  const leave = () => {
    if (typed.hasChanges()) setAsking(true);
    else onClose();
  };
  return (
    <>
      <dialog
        ref={dialog}
        className={classes.dialog}
        aria-labelledby={titleId}
        onFocus={({ target }) => typed.notice(target)}
        onKeyDown={(event) => {
          // Here, because the browser itself closes a dialog when Escape is pressed twice.
          if (event.key !== 'Escape' || !isIn(event.target, dialog.current)) return;
          event.preventDefault();
          leave();
        }}
        onCancel={(event) => {
          event.preventDefault();
          leave();
        }}
        onPointerDown={(event) => {
          // The dialog has no padding, so a press outside its content is on the backdrop.
          if (event.target === dialog.current) leave();
        }}
      >
        <div className={classes.content}>
          <Group justify="space-between" wrap="nowrap" align="flex-start" mb="md">
            <Title order={2} size="h4" id={titleId}>
              {title}
            </Title>
            <CloseButton aria-label={t('dialog.close')} onClick={onClose} />
          </Group>
          {children}
        </div>
      </dialog>
      {isAsking && <DiscardQuestion onDiscard={onClose} onStay={() => setAsking(false)} />}
    </>
  );
}

/** Not in a dialog that React renders inside this one. */
function isIn(target: EventTarget, dialog: HTMLDialogElement | null): boolean {
  return target instanceof Element && target.closest('dialog') === dialog;
}

function DiscardQuestion({ onDiscard, onStay }: { onDiscard: () => void; onStay: () => void }) {
  return (
    <Dialog title={t('dialog.lose')} onClose={onStay}>
      <Stack gap="md">
        <Text size="sm">{t('dialog.lose.text')}</Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onStay} data-autofocus>
            {t('dialog.lose.stay')}
          </Button>
          <Button color="red.9" onClick={onDiscard}>
            {t('dialog.lose.confirm')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

const TEXT_FIELDS = 'textarea, input:not([type=checkbox], [type=radio], [type=password], [type=button])';

type TextField = HTMLInputElement | HTMLTextAreaElement;

/** Whether the text of a field of the dialog differs from when the field first got the focus. */
function useTyped() {
  const before = useRef(new Map<TextField, string>());
  return {
    notice(target: Element) {
      if (!target.matches(TEXT_FIELDS)) return;
      const field = target as TextField;
      if (!before.current.has(field)) before.current.set(field, field.value);
    },
    hasChanges: () => [...before.current].some(([field, value]) => field.isConnected && field.value !== value),
  };
}
