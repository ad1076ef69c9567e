// SPDX-License-Identifier: GPL-2.0-only
// A flame graph in a browser: what the user sees, and does with mouse and keyboard.

// Builds a page from the list that readXml() returns for its file.
function Page(parts) {
	this.document = new Document(parts);
	this.window = new Target();
	this.window.innerWidth = 1200;
}

// Runs the script of the file.
Page.prototype.run = function () {
	var script = this.document.querySelectorAll("script")[0].textContent;

	new Function("document", "window", script)(this.document, this.window);
	return this;
};

// --- What the user sees

Page.prototype.boxes = function () {
	return this.document.querySelectorAll("#boxes > g");
};

// Returns the first box with that name, and with that depth if one is given.
Page.prototype.box = function (name, depth) {
	return this.boxes().filter(function (g) {
		return g.dataset.n === name && (depth === undefined || +g.dataset.d === depth);
	})[0];
};

Page.prototype.id = function (id) {
	return this.document.getElementById(id);
};

Page.prototype.status = function () {
	return this.id("status").textContent;
};

Page.prototype.input = function () {
	return this.document.querySelectorAll("input")[0];
};

Page.prototype.focused = function () {
	return this.document.activeElement;
};

// --- What the user does

// Sends an event to the element, its parents, the document and the window. Returns false if the script
// called preventDefault().
Page.prototype.fire = function (type, target, more) {
	var event = { type: type, target: target }, prevented = false;

	Object.keys(more || {}).forEach(function (key) { event[key] = more[key]; });
	event.preventDefault = function () { prevented = true; };
	for (var at = target; at; at = at.parentNode)
		at.hear(event);
	this.document.hear(event);
	this.window.hear(event);
	return !prevented;
};

// Pressing the button moves the focus to the element or its nearest parent that can have it. Then it clicks.
Page.prototype.click = function (element) {
	var at = element;

	if (!element.shown())
		throw new Error("nobody can click on what is hidden");
	while (at && !at.focusable())
		at = at.parentNode;
	if (at)
		at.focus();
	else
		this.document.activeElement = this.document.documentElement;
	this.fire("click", element);
};

Page.prototype.press = function (key, more) {
	var event = { key: key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

	Object.keys(more || {}).forEach(function (name) { event[name] = more[name]; });
	return this.fire("keydown", this.focused(), event);
};

Page.prototype.type = function (text) {
	this.input().value = text;
	this.fire("input", this.input());
};

Page.prototype.resize = function (width) {
	this.window.innerWidth = width;
	this.window.hear({ type: "resize", target: this.window });
};
