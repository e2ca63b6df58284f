import { type ReactNode, useContext, useId, useMemo, useState } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { BusyContext } from './busy';
import { Field } from './field';
import { Form, InvalidInput, textOf } from './form';
import { Icon } from './icons';

interface ShownProps {
  title: string;
  close: () => void;
  children: ReactNode;
}

interface DialogBoxProps extends ShownProps {
  /** Asks before something is done. */
  isAlert?: boolean;
  /** Shows what is shown once: only its button closes it. */
  isOnce?: boolean;
}

/** A dialog in the middle of the page. */
export function DialogBox({ title, close, children, isAlert = false, isOnce = false }: DialogBoxProps): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const busy = useMemo(() => ({ isBusy, setBusy }), [isBusy]);
  return (
    <ModalOverlay
      className="overlay"
      isOpen
      isDismissable={!isAlert && !isOnce && !isBusy}
      isKeyboardDismissDisabled={isOnce || isBusy}
      onOpenChange={(isOpen) => !isOpen && close()}
    >
      <Modal className="modal">
        <Dialog className="dialog" role={isAlert ? 'alertdialog' : 'dialog'}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          <BusyContext value={busy}>{children}</BusyContext>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** What a row of a table is about, at the side of the page. */
export function Panel({ title, close, children }: ShownProps): ReactNode {
  const [isOpen, setOpen] = useState(true);
  const shut = (): void => {
    // At once: a change of the address is a transition, and the focus would not come back to the row.
    setOpen(false);
    close();
  };
  return (
    <ModalOverlay className="overlay" isOpen={isOpen} isDismissable onOpenChange={shut}>
      <Modal className="panel">
        <Dialog className="dialog">
          <div className="panel-head">
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            <button type="button" className="icon-button" onClick={shut} aria-label="Close">
              <Icon name="close" />
            </button>
          </div>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

export interface ConfirmProps extends ShownProps {
  /** The label of the button that does it. */
  action: string;
  /** `primary` for what takes nothing away. */
  kind?: 'primary danger' | 'primary';
  /** What is typed in before it is done: the name of the thing. Absent: the button is enough. */
  name?: string;
  /** The dialog closes when it is done. What it throws is shown. */
  confirm: () => Promise<void>;
}

/** Asks before something is done that cannot be undone, or that concerns others. */
export function Confirm({
  title,
  close,
  action,
  kind = 'primary danger',
  name,
  confirm,
  children,
}: ConfirmProps): ReactNode {
  const id = useId();
  const submit = async (data: FormData): Promise<void> => {
    if (name !== undefined && textOf(data, id) !== name.trim())
      throw new InvalidInput({ [id]: 'Enter the name as it is written above.' });
    await confirm();
    close();
  };
  return (
    <DialogBox title={title} close={close} isAlert>
      {children}
      <Form submit={submit} action={action} kind={kind} more={<CancelButton close={close} />}>
        {name !== undefined && <Field name={id} label={`Name to confirm: ${name}`} autoComplete="off" autoFocus />}
      </Form>
    </DialogBox>
  );
}

export function CancelButton({ close }: { close: () => void }): ReactNode {
  const { isBusy } = useContext(BusyContext);
  return (
    <button type="button" aria-disabled={isBusy} onClick={() => !isBusy && close()}>
      Cancel
    </button>
  );
}
