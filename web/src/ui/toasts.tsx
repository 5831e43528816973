import { Toast } from "@base-ui/react/toast";
import { IconButton } from "./button.tsx";

const manager = Toast.createToastManager();

/** Reports the outcome of an act beside the screen, such as a refused cancellation. */
export const report = (
  kind: "error" | "success",
  title: string,
  undo?: { readonly label: string; readonly act: () => void },
): void => {
  manager.add({
    title,
    type: kind,
    timeout: kind === "error" ? 12_000 : 6_000,
    priority: kind === "error" ? "high" : "low",
    ...(undo && { actionProps: { children: undo.label, onClick: undo.act } }),
  });
};

/** Where reports appear. */
export const Toasts = () => (
  <Toast.Provider toastManager={manager}>
    <Toast.Portal>
      <Toast.Viewport className="toasts">
        <ToastList />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
);

const ToastList = () => {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={`toast ${toast.type ?? ""}`}>
      <Toast.Content className="toast-content">
        <Toast.Title className="toast-title" />
        {toast.actionProps && <Toast.Action className="button plain" />}
        <Toast.Close render={<IconButton icon="cross" label="Dismiss" />} />
      </Toast.Content>
    </Toast.Root>
  ));
};
