// Modal dialogs: any content, a question to confirm, a deletion, or a form. They are the browser's own dialog element, which keeps
// the focus inside. Escape or a press outside closes them, after a question if something was typed.
import { Button, CloseButton, Group, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { t } from '../texts.tsx';
import classes from './Dialog.module.css';
import { Consequences } from './PageLayout.tsx';
import { Problem } from './Problem.tsx';

type DialogProps = { title: string; onClose: () => void; children: ReactNode };

/** The dialog is open while it is rendered. The element with `data-autofocus` gets the focus first. */
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
          // The key is handled here because the browser itself closes a dialog when Escape is pressed twice.
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

/** False for an element of another dialog that React renders inside this one. */
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

type ConfirmDialogProps = {
  title: string;
  /** The label of the button that confirms: `Revoke key`. */
  confirmLabel: string;
  cancelLabel?: string;
  isBusy?: boolean;
  /** Why the action failed. */
  error?: Error | null;
  onConfirm: () => void;
  onClose: () => void;
  /** What is lost, and who it affects. */
  children: ReactNode;
};

/** Asks for confirmation before something is deleted or revoked permanently. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, confirmLabel, cancelLabel = 'Cancel', isBusy = false, error = null } = props;
  const { onConfirm, onClose, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <Stack gap="md">
        {children}
        {error !== null && <Problem error={error} onRetry={onConfirm} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            {cancelLabel}
          </Button>
          <Button color="red.9" loading={isBusy} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

type DeleteDialogProps = {
  title: string;
  /** The label of the button that deletes, which also names the form: `Delete build`. */
  label: string;
  /** What the deletion would change. */
  preview: Pick<UseQueryResult<{ readonly consequences: readonly string[] }>, 'data' | 'error' | 'isPending'> & {
    readonly refetch: () => unknown;
  };
  /** The height of the preview in pixels while it is loading. */
  previewHeight: number;
  deletion: Pick<UseMutationResult<unknown, Error, void>, 'error' | 'isPending' | 'mutate'>;
  /** Whether everything is typed that confirms the deletion. */
  isSure: boolean;
  onClose: () => void;
  /** The fields that confirm the deletion, such as `ConfirmName`. */
  children: ReactNode;
};

/** Shows what a deletion would change, and asks for confirmation by typing. */
export function DeleteDialog(props: DeleteDialogProps) {
  const { title, label, preview, previewHeight, deletion, isSure, onClose, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        aria-label={label}
        onSubmit={(event) => {
          event.preventDefault();
          if (isSure && preview.data !== undefined) deletion.mutate();
        }}
      >
        <Stack gap="md">
          {preview.error !== null && <Problem error={preview.error} onRetry={() => void preview.refetch()} />}
          {preview.isPending && <Skeleton h={previewHeight} />}
          {preview.data !== undefined && <Consequences lines={preview.data.consequences} />}
          {children}
          {deletion.error !== null && <Problem error={deletion.error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              color="red.9"
              loading={deletion.isPending}
              disabled={!isSure || preview.data === undefined}
            >
              {label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

type ConfirmNameProps = { name: string; typed: string; onType: (typed: string) => void };

/** The field in which the name of what is deleted has to be typed. */
export function ConfirmName({ name, typed, onType }: ConfirmNameProps) {
  return (
    <TextInput
      data-field="name"
      label={`Type ${name} to confirm`}
      data-autofocus
      autoComplete="off"
      value={typed}
      onChange={(event) => onType(event.currentTarget.value)}
    />
  );
}

type FormDialogProps = {
  title: string;
  /** The label of the button that submits the form: `Save search`. */
  submitLabel: string;
  isDisabled?: boolean;
  isBusy: boolean;
  error: Error | null;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
};

/** A modal dialog with a form, which shows why it failed above its buttons. */
export function FormDialog(props: FormDialogProps) {
  const { title, submitLabel, isDisabled = false, isBusy, error, onSubmit, onClose, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        <Stack gap="md">
          {children}
          {error !== null && <Problem error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={isDisabled} loading={isBusy}>
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
