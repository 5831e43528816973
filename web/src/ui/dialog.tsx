import { AlertDialog } from "@base-ui/react/alert-dialog";
import { Dialog as Base } from "@base-ui/react/dialog";
import { type ReactElement, type ReactNode, useState } from "react";
import { Button } from "./button.tsx";

type DialogProps = {
  readonly isOpen: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** A form above the screen. Escape and a click beside it close it. */
export const Dialog = ({ isOpen, title, onClose, children }: DialogProps) => (
  <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
    <Base.Portal>
      <Base.Backdrop className="backdrop" />
      <Base.Popup className="dialog">
        <Base.Title className="dialog-title">{title}</Base.Title>
        {children}
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
);

type ConfirmProps = {
  /** The button that asks the question. */
  readonly trigger: ReactElement<Record<string, unknown>>;
  readonly title: string;
  /** The effect of the act, and whether it can be undone. */
  readonly text: string;
  /** The label of the button that acts. */
  readonly action: string;
  readonly onConfirm: () => void;
};

/** A question before an act that cannot be undone. */
export const Confirm = ({ trigger, title, text, action, onConfirm }: ConfirmProps) => {
  const [isOpen, setOpen] = useState(false);
  const act = () => {
    setOpen(false);
    onConfirm();
  };
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={setOpen}>
      <AlertDialog.Trigger render={trigger} />
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <AlertDialog.Title className="dialog-title">{title}</AlertDialog.Title>
          <AlertDialog.Description className="dialog-text">{text}</AlertDialog.Description>
          <div className="actions end">
            <AlertDialog.Close render={<Button>Keep</Button>} />
            <Button look="danger" onClick={act}>
              {action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
};
