// Controls for images and videos: an area where files are chosen or dropped, and the buttons that change their order.
import { ActionIcon, Button, FileButton, Text } from '@mantine/core';
import { useState } from 'react';
import classes from './MediaPage.module.css';

type DropFilesProps = {
  label: string;
  /** Says that files can be dropped. */
  hint: string;
  /** The content types that the dialog offers. */
  accepted: string;
  isMultiple?: boolean;
  isBusy: boolean;
  onFiles: (files: File[]) => void;
};

export function DropFiles({ label, hint, accepted, isMultiple = false, isBusy, onFiles }: DropFilesProps) {
  const [isOver, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside is the accessible way to do the same
    <div
      className={classes.drop}
      data-over={isOver}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (!isBusy && event.dataTransfer.files.length > 0) onFiles([...event.dataTransfer.files]);
      }}
    >
      <FileButton
        accept={accepted}
        multiple={isMultiple}
        onChange={(chosen: File | File[] | null) => {
          const files = chosen === null ? [] : [chosen].flat();
          if (files.length > 0) onFiles(files);
        }}
      >
        {(props) => (
          <Button {...props} size="xs" variant="default" loading={isBusy}>
            {label}
          </Button>
        )}
      </FileButton>
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
    </div>
  );
}

type MoveButtonProps = {
  /** What is moved: `screenshot 2`. */
  name: string;
  direction: 'earlier' | 'later';
  isDisabled: boolean;
  onMove: () => void;
};

/**
 * The button that moves a screenshot or a video one place. At the end of the list it stays focusable, so that the
 * keyboard focus is not lost there.
 */
export function MoveButton({ name, direction, isDisabled, onMove }: MoveButtonProps) {
  return (
    <ActionIcon
      variant="default"
      size="sm"
      data-disabled={isDisabled}
      aria-disabled={isDisabled}
      aria-label={`Move ${name} ${direction}`}
      onClick={() => {
        if (!isDisabled) onMove();
      }}
    >
      {direction === 'earlier' ? '‹' : '›'}
    </ActionIcon>
  );
}
