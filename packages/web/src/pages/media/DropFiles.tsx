// Lets people choose files in a dialog or drop them.
import { Button, FileButton, Text } from '@mantine/core';
import { useState } from 'react';
import classes from './MediaPage.module.css';

type DropFilesProps = {
  label: string;
  /** That files can be dropped. */
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
