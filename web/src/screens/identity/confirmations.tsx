import { useMutation } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ask, client } from "../../service/client.ts";
import { AlonePage } from "../../shell/pages.tsx";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/states.tsx";
import type { TokenSearch } from "../search.ts";

type ConfirmationProps = {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly done: string;
  readonly confirm: () => Promise<unknown>;
  /** Links below the outcome. */
  readonly onward: ReactNode;
};

/** Confirms at the press of a button: programs that open the links of mails press none. */
const Confirmation = ({ title, text, action, done, confirm, onward }: ConfirmationProps) => {
  const confirmation = useMutation({ mutationFn: confirm });
  return (
    <AlonePage title={title}>
      {confirmation.isSuccess ? (
        <>
          <Notice kind="success">{done}</Notice>
          {onward}
        </>
      ) : (
        <>
          <p className="muted">{text}</p>
          {confirmation.error && <Notice kind="error">{confirmation.error.message}</Notice>}
          <Button
            look="primary"
            onClick={() => confirmation.mutate()}
            busy={confirmation.isPending && "Confirming…"}
          >
            {action}
          </Button>
        </>
      )}
    </AlonePage>
  );
};

export const VerifyEmail = () => {
  const { token = "" } = useSearch({ strict: false }) as TokenSearch;
  return (
    <Confirmation
      title="Confirm your e-mail address"
      text="Confirm that the address of your account is yours."
      action="Confirm the address"
      done="Your address is confirmed."
      confirm={() => ask(client.POST("/api/v1/auth/verify-email", { body: { token } }))}
      onward={
        <Link className="button primary wide" to="/">
          Go to the home page
        </Link>
      }
    />
  );
};

export const VerifyContact = () => {
  const { token = "" } = useSearch({ strict: false }) as TokenSearch;
  const { contactId = "" } = useParams({ strict: false });
  return (
    <Confirmation
      title="Receive news of test runs"
      text="Somebody wants to send you the results of test runs. Confirm if you want them."
      action="Confirm"
      done="You will receive the results. Every mail has a link that ends them."
      confirm={() =>
        ask(
          client.POST("/api/v1/notifications/contacts/{id}/verify", {
            params: { path: { id: contactId } },
            body: { token },
          }),
        )
      }
      onward={null}
    />
  );
};
