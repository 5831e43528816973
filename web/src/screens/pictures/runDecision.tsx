import { useMutation } from "@tanstack/react-query";
import { messageOf } from "../../service/errors.ts";
import { reviewRun } from "../../service/pictures.ts";
import { useMay } from "../../service/usePermissions.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { report } from "../../ui/toasts.tsx";

/** Approves or rejects all open pictures of a run at once; nothing for a role that may not. */
export const RunDecision = ({ runId, open }: { readonly runId: string; readonly open: number }) => {
  const mayDecide = useMay("catalogue:write");
  const review = useMutation({
    mutationFn: (decision: "approve" | "reject") => reviewRun(runId, decision),
    onSuccess: (_, decision) =>
      report(
        "success",
        decision === "approve" ? "The pictures are approved" : "The pictures are rejected",
      ),
    onError: (error) => report("error", messageOf(error)),
  });
  if (!mayDecide) return null;
  const all = open === 1 ? "1 open picture" : `${open} open pictures`;
  return (
    <>
      <Confirm
        trigger={<Button busy={review.isPending && "Deciding…"}>Reject all</Button>}
        title={`Reject ${all}?`}
        text="The baselines stay as they are. A rejected picture can be approved later."
        action="Reject all"
        onConfirm={() => review.mutate("reject")}
      />
      <Confirm
        trigger={
          <Button look="primary" icon="check" busy={review.isPending && "Deciding…"}>
            Approve all
          </Button>
        }
        title={`Approve ${all}?`}
        text="They become the baselines that later runs are compared with."
        action="Approve all"
        onConfirm={() => review.mutate("approve")}
      />
    </>
  );
};
