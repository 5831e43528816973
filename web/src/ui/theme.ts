export type Theme = "system" | "light" | "dark";

const KEY = "runledger.theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

export const chosenTheme = (): Theme => {
  const theme = localStorage.getItem(KEY);
  return theme === "light" || theme === "dark" ? theme : "system";
};

export const applyTheme = (): void => {
  const theme = chosenTheme();
  const dark = theme === "dark" || (theme === "system" && prefersDark.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
};

export const chooseTheme = (theme: Theme): void => {
  localStorage.setItem(KEY, theme);
  applyTheme();
};

/** Applies the chosen theme now and whenever the system's changes. */
export const startTheme = (): void => {
  applyTheme();
  prefersDark.addEventListener("change", applyTheme);
};
