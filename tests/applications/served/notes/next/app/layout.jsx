export const metadata = { title: "Notes" };
export default function Layout({ children }) { return <html><body>{children}</body></html>; }
