"""Pages in a real browser."""

SIZES = {"desktop": (1280, 900), "phone": (360, 740)}


class Visit:
    """A page, and all that it asked for and complained about."""

    def __init__(self, browser, address, size="desktop", scheme="light", ready="body"):
        width, height = SIZES[size]
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        self.page = self.context.new_page()
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.goto(address)
        self.page.wait_for_selector(ready)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()
