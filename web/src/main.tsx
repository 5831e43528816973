import "@fontsource-variable/inter/wght.css";
import "./ui/tokens.css";
import "./ui/base.css";
import "./ui/ui.css";
import "./ui/popups.css";
import "./shell/shell.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { router } from "./router.tsx";
import { queryClient } from "./service/queryClient.ts";
import { startTheme } from "./ui/theme.ts";
import { Toasts } from "./ui/toasts.tsx";

startTheme();
const root = document.getElementById("root");
if (!root) throw new Error("The page has no element #root.");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
);
